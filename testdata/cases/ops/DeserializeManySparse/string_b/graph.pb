
3
x0Placeholder*
shape
:*
dtype0
?
DeserializeManySparseDeserializeManySparsex0*
dtype0

.
y0IdentityDeserializeManySparse*
T0	
0
y1IdentityDeserializeManySparse:1*
T0

0
y2IdentityDeserializeManySparse:2*
T0	"ª