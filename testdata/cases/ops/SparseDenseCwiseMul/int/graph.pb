
3
x0Placeholder*
dtype0	*
shape
:

/
x1Placeholder*
dtype0	*
shape:

8
x2Placeholder*
dtype0	*
shape:ÿÿÿÿÿÿÿÿÿ
Z
ConstConst*
dtype0	*=
value4B2	" Øñðk7††6Áod‚¢^Ð4^Â´ñ­(‘²6ïð¿c
F
SparseDenseCwiseMulSparseDenseCwiseMulx0x1x2Const*
T0	
,
y0IdentitySparseDenseCwiseMul*
T0	"ª