/* The function has another name. */
int blended(void)
{
	return 0;
}
