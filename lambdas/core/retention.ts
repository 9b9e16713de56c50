/** Days of `P30D`; undefined for text that is not a number of days. */
export function retentionDays(text: string): number | undefined {
  const match = /^P(\d{1,5})D$/.exec(text);
  return match ? Number(match[1]) : undefined;
}
