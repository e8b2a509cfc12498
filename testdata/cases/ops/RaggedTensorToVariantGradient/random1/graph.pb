
1
c1Const*
dtype0*
valueB‚
/
x2Placeholder*
dtype0*
shape:
Š
RaggedTensorToVariantRaggedTensorToVariantx2c1*
Tvalues0*
Tsplits0*
batched_input(*
RAGGED_RANK:÷NË
0
c3Const*
dtype0*
valueB:
{
RaggedTensorToVariantGradientRaggedTensorToVariantGradientRaggedTensorToVariantx2c3*
Tvalues0*
Tsplits0
6
y0IdentityRaggedTensorToVariantGradient*
T0"ª