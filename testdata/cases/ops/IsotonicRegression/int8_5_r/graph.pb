
-
x0Placeholder*
dtype0*
shape:
I
IsotonicRegressionIsotonicRegressionx0*
output_dtype0*
T0
+
y0IdentityIsotonicRegression*
T0
-
y1IdentityIsotonicRegression:1*
T0"ª