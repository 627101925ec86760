import { text } from "./text.js";

document.querySelector("h1").textContent = text;
