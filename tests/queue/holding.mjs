/** Each rule by itself; says which ones do not hold. */
export async function hold(rules) {
  for (const [rule, holds] of Object.entries(rules)) {
    try {
      await holds();
    } catch (error) {
      console.log(`${rule}: ${error.stack}`);
      process.exitCode = 1;
    }
  }
}
