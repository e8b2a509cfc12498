// Runs an ONNX model with one float input: run MODEL ROWS COLUMNS FEED
use tract_onnx::prelude::*;

fn main() -> TractResult<()> {
    let a: Vec<String> = std::env::args().collect();
    let raw = std::fs::read(&a[4])?;
    let data: Vec<f32> = raw.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    let model = tract_onnx::onnx().model_for_path(&a[1])?.into_optimized()?.into_runnable()?;
    let x = Tensor::from_shape(&[a[2].parse()?, a[3].parse()?], &data)?;
    println!("{:?}", model.run(tvec!(x.into()))?);
    Ok(())
}
