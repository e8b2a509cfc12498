
.
xPlaceholder*
dtype0*
shape:
 
EmptyTensorMapEmptyTensorMap
\
ConsumeMutexLockConsumeMutexLockEmptyTensorMap*&
 _has_manual_control_dependencies(
,
zIdentityx^ConsumeMutexLock*
T0"ª