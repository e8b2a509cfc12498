
K
x0Placeholder*
dtype0*+
shape": 
|
DebugNumericSummaryV2DebugNumericSummaryV2x0*
T0*
	tensor_id€€*
output_dtype0*
tensor_debug_mode	"ª