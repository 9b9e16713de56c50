/**
 * Whether `text` is as `pattern` says: `*` stands for any characters, none included, `?` for exactly one, and
 * all others for themselves (AWS: IAM User Guide, reference_policies_elements_resource). Goes back to the last `*`
 * only, so that no pattern takes longer than the product of the two lengths.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  let [p, t] = [0, 0];
  let [star, resume] = [-1, 0];
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p;
      resume = t;
      p += 1;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      resume += 1;
      p = star + 1;
      t = resume;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
