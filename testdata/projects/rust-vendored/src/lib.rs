#[test]
fn add() {
    assert_eq!(little::add(1, 2), 3);
}
