
7
ConstConst*
valueB	R*
dtype0	
/
x1Placeholder*
shape:*
dtype0
/
x2Placeholder*
shape:*
dtype0	
/
x3Placeholder*
shape:*
dtype0
F
SparseDenseCwiseAddSparseDenseCwiseAddConstx1x2x3*
T0
,
y0IdentitySparseDenseCwiseAdd*
T0"ª