
;
x0Placeholder*
shape:*
dtype0
&
opBatchSelfAdjointEigx0*
T0"
