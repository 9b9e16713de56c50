/** Small English: lists, ranges, numbers. */

export const WEEKDAY_NAMES = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** `a, b and c` */
export function listed(items: readonly string[], conjunction = 'and'): string {
  if (items.length <= 1) return items[0] ?? '';
  return `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`;
}

/** Sorted numbers with runs of three and more written as ranges: `1 to 5, 8 and 10`. */
export function ranges(values: readonly number[], name: (value: number) => string = String): string {
  const items: string[] = [];
  for (let start = 0; start < values.length; ) {
    let end = start;
    while (values[end + 1] === (values[end] ?? 0) + 1) end += 1;
    if (end - start >= 2) items.push(`${name(values[start] ?? 0)} to ${name(values[end] ?? 0)}`);
    else for (let at = start; at <= end; at += 1) items.push(name(values[at] ?? 0));
    start = end + 1;
  }
  return listed(items);
}

export function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}

/** `1st`, `22nd`, `13th` */
export function ordinal(value: number): string {
  const teen = value % 100 >= 11 && value % 100 <= 13;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
}

/** `every day`, `every 2 hours`, `every 1 hour 30 minutes` */
export function every(amounts: readonly (readonly [number, string])[]): string {
  const parts = amounts.filter(([amount]) => amount > 0);
  const [only] = parts;
  if (parts.length === 1 && only?.[0] === 1) return `every ${only[1]}`;
  return `every ${parts.map(([amount, noun]) => `${amount} ${plural(amount, noun)}`).join(' ')}`;
}

/** `New York time`, `UTC`, `UTC+05:30` */
export function zoneText(name: string): string {
  if (/^[+-]\d/.test(name)) return `UTC${name}`;
  if (/^(etc\/)?(utc|gmt|z|zulu|uct|universal)$/i.test(name)) return 'UTC';
  const slash = name.lastIndexOf('/');
  if (/^etc\//i.test(name) || slash < 0) return `${name} time`;
  return `${name.slice(slash + 1).replaceAll('_', ' ')} time`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function uncapitalised(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
