#include "sum.h"

int two(void)
{
	return 2;
}
