#include "sum.h"

int one(void)
{
	return 1;
}
