
3
x0Placeholder*
shape
:*
dtype0	
/
x1Placeholder*
shape:*
dtype0
/
x2Placeholder*
shape:*
dtype0	
/
x3Placeholder*
shape:*
dtype0
C
SparseDenseCwiseAddSparseDenseCwiseAddx0x1x2x3*
T0
,
y0IdentitySparseDenseCwiseAdd*
T0"ª