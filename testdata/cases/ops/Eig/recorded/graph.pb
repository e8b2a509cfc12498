
;
x0Placeholder*
shape:*
dtype0
4
EigEigx0*
	compute_v(*
T0*

Tout0

y0IdentityEig*
T0

y1IdentityEig:1*
T0"ª