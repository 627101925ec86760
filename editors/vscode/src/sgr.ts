// The few colours of what the extension itself writes to a terminal.

const sgr = (on: string, off: string) => (text: string) => `\x1b[${on}m${text}\x1b[${off}m`;

export const bold = sgr("1", "22");
export const faint = sgr("2", "22");
export const red = sgr("31", "39");
export const green = sgr("32", "39");
export const yellow = sgr("33", "39");
export const wrong = sgr("31;4", "39;24");
