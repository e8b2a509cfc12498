
<
x0Placeholder*
dtype0	*
shape:ÿÿÿÿÿÿÿÿÿ
8
x1Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
3
ConstConst*
valueB	R*
dtype0	
5
Const_1Const*
valueB:*
dtype0
T
SparseReduceSumSparseReduceSumx0x1ConstConst_1*
	keep_dims(*
T0
(
y0IdentitySparseReduceSum*
T0"ª