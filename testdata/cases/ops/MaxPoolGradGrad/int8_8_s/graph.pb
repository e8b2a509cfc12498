
;
x0Placeholder*
shape:*
dtype0
;
x1Placeholder*
shape:*
dtype0
;
x2Placeholder*
shape:*
dtype0
Š
MaxPoolGradGradMaxPoolGradGradx0x1x2*
ksize
*
T0*
data_formatNHWC*
paddingVALID*
strides

(
y0IdentityMaxPoolGradGrad*
T0"ª