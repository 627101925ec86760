#include <stdio.h>
#include "sum.h"

int main(void)
{
	printf("%d\n", one() + two() + three());
	return 0;
}
