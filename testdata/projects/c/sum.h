int one(void);
int two(void);
int three(void);
