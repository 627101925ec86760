export const text = "made in the sandbox";
