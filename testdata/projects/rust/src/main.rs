fn sum(a: i32, b: i32) -> i32 {
    a + b
}

fn main() {
    println!("sum {}", sum(1, 2));
}

#[cfg(test)]
mod tests {
    #[test]
    fn sum() {
        assert_eq!(super::sum(1, 2), 3);
    }
}
