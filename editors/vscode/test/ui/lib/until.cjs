// Waits for a condition. Deadlines are generous, for machines that are busy.

module.exports = async function until(what, condition, deadlineMs = 30_000) {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${deadlineMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
