/*
 * The scripted model itself: a scene's questions and subagents come in the words
 * of the tools that a request has, over each of the APIs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "model_scene.h"
#include "wire/model.h"

/* Tools as agents describe them, in the shape of an API. */
#define ASK_SCHEMA "{\"type\":\"object\",\"properties\":{\"questions\":{\"type\":\"array\"," \
	"\"items\":{\"type\":\"object\",\"properties\":{\"header\":{\"type\":\"string\"}," \
	"\"question\":{\"type\":\"string\"},\"many\":{\"type\":\"boolean\"}," \
	"\"options\":{\"type\":\"array\",\"items\":{\"type\":\"object\"," \
	"\"properties\":{\"label\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"}}," \
	"\"required\":[\"label\",\"description\"]}}},\"required\":[\"question\",\"header\"," \
	"\"options\",\"many\"]}}},\"required\":[\"questions\"]}"
#define SUB_SCHEMA "{\"type\":\"object\",\"properties\":{\"prompt\":{\"type\":\"string\"}," \
	"\"description\":{\"type\":\"string\"},\"kind\":{\"enum\":[\"first\",\"second\"]}," \
	"\"depth\":{\"type\":[\"integer\",\"null\"]}},\"required\":[\"prompt\",\"description\"," \
	"\"kind\",\"depth\"]}"
#define SHELL_SCHEMA "{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"array\"," \
	"\"items\":{\"type\":\"string\"}}},\"required\":[\"command\"]}"

#define ASKED "{\"questions\":[{\"question\":\"Which loop?\",\"header\":\"a_word\",\"options\":[" \
	"{\"label\":\"inner\",\"description\":\"inner\"},{\"label\":\"outer\"," \
	"\"description\":\"outer\"}]," \
	"\"many\":false}]}"
#define SUBBED "{\"kind\":\"own\",\"prompt\":\"look at the loads\",\"description\":\"a_word\"," \
	"\"depth\":1}"

#define SCENE "{\"replies\":[{\"text\":\"One\",\"calls\":[" \
	"{\"ask\":\"Which loop?\",\"options\":[\"inner\",\"outer\"]}," \
	"{\"subagent\":\"look at the loads\",\"args\":{\"kind\":\"own\"}}]},{\"text\":\"Two\"}]," \
	"\"subagents\":[{\"when\":\"look at the loads\",\"replies\":[{\"text\":\"Loaded\"}]}]}"

#define FIRST "\"messages\":[{\"role\":\"user\",\"content\":\"go\"}]"
#define TOOLS "[{\"name\":\"Agent\",\"input_schema\":" SUB_SCHEMA "}," \
	"{\"name\":\"AskUserQuestion\",\"input_schema\":" ASK_SCHEMA "}]"
#define FUNCTIONS "[{\"type\":\"function\",\"function\":{\"name\":\"question\"," \
	"\"parameters\":" ASK_SCHEMA \
	"}},{\"type\":\"function\",\"function\":{\"name\":\"task\",\"parameters\":" SUB_SCHEMA "}}]"
#define ITEMS "[{\"type\":\"function\",\"name\":\"request_user_input\",\"parameters\":" ASK_SCHEMA \
	"},{\"type\":\"function\",\"name\":\"spawn_agent\",\"parameters\":" SUB_SCHEMA "}]"

static void scene_of(struct scene *scene, const char *text)
{
	char path[] = "/tmp/kseek-model-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(ks_file_write(path, ks_str_of(text), 0600, NULL), 0);
	assert_int_equal(scene_read(scene, path, NULL), 0);
	unlink(path);
}

/* The whole stream that answers a request. Gives. */
static char *answer(struct scene *scene, enum scene_api api, const char *request)
{
	struct scene_events events = {0};
	struct ks_buf all = {0};
	struct ks_json *doc = NULL;

	assert_int_equal(ks_json_parse(&doc, request, strlen(request), NULL), 0);
	scene_stream(&events, api, scene_next(scene, doc), doc, 1);
	for (size_t i = 0; i < events.count; i++) {
		ks_buf_addstr(&all, ks_buf_str(&events.list[i]));
	}
	scene_events_fini(&events);
	ks_json_free(doc);
	return ks_buf_take(&all);
}

static void assert_reply(enum ks_model_api api, const char *stream, const char *text,
	const char *ask, const char *sub)
{
	struct ks_model_stream s;
	const struct ks_model_reply *r = &s.reply;

	ks_model_begin(&s, api);
	assert_int_equal(ks_model_add(&s, ks_str_of(stream), NULL), 0);
	assert_int_equal(ks_model_end(&s, NULL), 0);
	assert_int_equal(r->count, ask != NULL ? 3 : 1);
	assert_string_equal(r->blocks[0].text.ptr, text);
	if (ask != NULL) {
		assert_string_equal(r->blocks[1].name, ask);
		assert_string_equal(r->blocks[1].text.ptr, ASKED);
		assert_string_equal(r->blocks[2].name, sub);
		assert_string_equal(r->blocks[2].text.ptr, SUBBED);
	}
	ks_model_fini(&s);
}

static void test_streams(void **state)
{
	static const struct {
		enum scene_api scene;
		enum ks_model_api api;
		const char *tools, *ask, *sub;
	} apis[] = {
		{SCENE_MESSAGES, KS_MODEL_ANTHROPIC, TOOLS, "AskUserQuestion", "Agent"},
		{SCENE_CHAT, KS_MODEL_OPENAI, FUNCTIONS, "question", "task"},
	};

	for (size_t i = 0; i < 2; i++) {
		struct scene scene;
		char *main_talk = ks_asprintf("{" FIRST ",\"tools\":%s}", apis[i].tools);
		char *sub_talk = ks_asprintf("{\"messages\":[{\"role\":\"system\","
			"\"content\":\"x\"},"
			"{\"role\":\"user\",\"content\":\"Please look at the loads.\"}],"
			"\"tools\":%s}", apis[i].tools);
		char *later = ks_asprintf("{\"messages\":[{\"role\":\"user\",\"content\":\"go\"},"
			"{\"role\":\"assistant\",\"content\":\"look at the loads\"},"
			"{\"role\":\"user\",\"content\":\"look at the loads\"}],\"tools\":%s}",
			apis[i].tools);
		char *streams[4];

		scene_of(&scene, SCENE);
		streams[0] = answer(&scene, apis[i].scene, main_talk);
		streams[1] = answer(&scene, apis[i].scene, sub_talk);
		streams[2] = answer(&scene, apis[i].scene, later);
		streams[3] = answer(&scene, apis[i].scene, sub_talk);
		assert_reply(apis[i].api, streams[0], "One", apis[i].ask, apis[i].sub);
		assert_reply(apis[i].api, streams[1], "Loaded", NULL, NULL);
		assert_reply(apis[i].api, streams[2], "Two", NULL, NULL);
		assert_reply(apis[i].api, streams[3], "Done.", NULL, NULL);
		for (size_t j = 0; j < 4; j++) {
			free(streams[j]);
		}
		scene_fini(&scene);
		free(main_talk);
		free(sub_talk);
		free(later);
	}
}

/* The call's item of a Responses stream. */
static void assert_item(const char *stream, const char *name, const char *args)
{
	struct ks_buf item = {0};
	struct ks_jw w;

	ks_jw_init(&w, &item);
	ks_jw_str(&w, NULL, args);
	assert_non_null(strstr(stream, name));
	if (strstr(stream, item.ptr) == NULL) {
		fail_msg("no %s in %s", item.ptr, stream);
	}
	ks_buf_fini(&item);
}

static void test_responses(void **state)
{
	struct scene scene;
	char *stream;

	scene_of(&scene, SCENE);
	stream = answer(&scene, SCENE_RESPONSES,
		"{\"input\":[{\"type\":\"message\",\"role\":\"user\","
		"\"content\":[{\"type\":\"input_text\",\"text\":\"go\"}]}],\"tools\":" ITEMS "}");
	assert_item(stream, "\"name\":\"request_user_input\"", ASKED);
	assert_item(stream, "\"name\":\"spawn_agent\"", SUBBED);
	free(stream);
	stream = answer(&scene, SCENE_RESPONSES,
		"{\"input\":[{\"role\":\"user\",\"content\":\"look at the "
		"loads\"}],\"tools\":" ITEMS "}");
	assert_non_null(strstr(stream, "Loaded"));
	free(stream);
	scene_fini(&scene);
	scene_of(&scene,
		"{\"replies\":[{\"text\":\"Mine\"}],\"subagents\":[{\"last\":\"a title for\"}]}");
	stream = answer(&scene, SCENE_RESPONSES,
		"{\"input\":[{\"role\":\"user\",\"content\":\"go\"},"
		"{\"role\":\"assistant\",\"content\":\"x\"},{\"role\":\"user\","
		"\"content\":\"Find a title for this\"}]}");
	assert_non_null(strstr(stream, "Done."));
	free(stream);
	stream = answer(&scene, SCENE_RESPONSES,
		"{\"input\":[{\"role\":\"user\",\"content\":\"go\"}]}");
	assert_non_null(strstr(stream, "Mine"));
	free(stream);
	scene_fini(&scene);
}

#define TURN(user) "{\"messages\":[{\"role\":\"user\",\"content\":\"mind the loop\"}," \
	"{\"role\":\"assistant\",\"content\":\"x\"}," user "]}"

/* A reply to certain words is not taken by what the agent asks by itself. */
static void test_reply_to_words(void **state)
{
	struct scene scene;
	char *stream;

	scene_of(&scene, "{\"replies\":[{\"text\":\"Minded\",\"to\":\"mind the loop\"},{\"text\":"
		"\"Next\"}]}");
	stream = answer(&scene, SCENE_CHAT,
		TURN("{\"role\":\"user\",\"content\":\"a task ended\"}"));
	assert_non_null(strstr(stream, "Do"));
	assert_null(strstr(stream, "Min"));
	free(stream);
	stream = answer(&scene, SCENE_CHAT, TURN("{\"role\":\"user\","
		"\"content\":\"mind the loop\"},"
		"{\"role\":\"system\",\"content\":\"a reminder\"}"));
	assert_non_null(strstr(stream, "Min"));
	free(stream);
	stream = answer(&scene, SCENE_RESPONSES,
		"{\"input\":[{\"role\":\"user\",\"content\":\"mind "
		"the loop\"},{\"type\":\"function_call\",\"name\":\"ls\"}]}");
	assert_non_null(strstr(stream, "Next"));
	free(stream);
	scene_fini(&scene);
}

static void test_gemini(void **state)
{
	struct scene scene;
	char *stream;

	scene_of(&scene, SCENE);
	stream = answer(&scene, SCENE_GEMINI,
		"{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":"
		"\"go\"}]}],\"tools\":[{\"functionDeclarations\":[{\"name\":\"ask_user\","
		"\"parametersJsonSchema\":" ASK_SCHEMA "},{\"name\":\"generalist\","
		"\"parameters\":" SUB_SCHEMA
		"}]}]}");
	assert_non_null(strstr(stream,
		"\"functionCall\":{\"name\":\"ask_user\",\"args\":" ASKED "}"));
	assert_non_null(strstr(stream,
		"\"functionCall\":{\"name\":\"generalist\",\"args\":" SUBBED "}"));
	assert_non_null(strstr(stream, "\"finishReason\":\"STOP\""));
	free(stream);
	stream = answer(&scene, SCENE_GEMINI,
		"{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":"
		"\"look at the loads\"}]}],\"tools\":[]}");
	assert_non_null(strstr(stream, "Loaded"));
	free(stream);
	scene_fini(&scene);
}

/* A command as a list of words; a tool that the request does not have. */
static void test_other_tools(void **state)
{
	struct scene scene;
	char *stream;

	scene_of(&scene, "{\"replies\":[{\"calls\":[{\"shell\":\"ls\"},{\"ask\":\"Which?\"}]}]}");
	stream = answer(&scene, SCENE_RESPONSES, "{\"input\":[],\"tools\":[{\"name\":\"shell\","
		"\"parameters\":" SHELL_SCHEMA "}]}");
	assert_item(stream, "\"name\":\"shell\"", "{\"command\":[\"sh\",\"-c\",\"ls\"]}");
	assert_item(stream, "\"name\":\"AskUserQuestion\"", "{\"prompt\":\"Which?\"}");
	free(stream);
	scene_fini(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams), cmocka_unit_test(test_responses),
		cmocka_unit_test(test_reply_to_words),
		cmocka_unit_test(test_gemini), cmocka_unit_test(test_other_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
