
;
x0Placeholder*
shape:*
dtype0
 
opBatchCholeskyx0*
T0"
