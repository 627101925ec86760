#include "sum.h"

int three(void)
{
	return 3;
}
