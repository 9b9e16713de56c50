/**
 * The names of the IANA data without a slash. Intl takes more of them: abbreviations that ICU gives a meaning of its own,
 * `BST` being Dhaka and `PST` having the clocks of Los Angeles. The list is closed: new zones have an area.
 */
const WITHOUT_AREA = new Set(
  (
    'CET CST6CDT CUBA EET EGYPT EIRE EST EST5EDT FACTORY GB GB-EIRE GMT GMT+0 GMT-0 GMT0 GREENWICH HONGKONG HST ICELAND ' +
    'IRAN ISRAEL JAMAICA JAPAN KWAJALEIN LIBYA MET MST MST7MDT NAVAJO NZ NZ-CHAT POLAND PORTUGAL PRC PST8PDT ROC ROK ' +
    'SINGAPORE TURKEY UCT UNIVERSAL UTC W-SU WET ZULU'
  ).split(' '),
);

/** Zones that clocks with the abbreviation are most likely in; some have several meanings. */
const LIKELY: Readonly<Record<string, string>> = {
  ACST: 'Australia/Adelaide',
  ACT: 'Australia/Darwin',
  AEDT: 'Australia/Sydney',
  AEST: 'Australia/Sydney',
  AET: 'Australia/Sydney',
  AGT: 'America/Argentina/Buenos_Aires',
  AKDT: 'America/Anchorage',
  AKST: 'America/Anchorage',
  ART: 'America/Argentina/Buenos_Aires',
  AST: 'America/Halifax',
  ADT: 'America/Halifax',
  AWST: 'Australia/Perth',
  BET: 'America/Sao_Paulo',
  BRT: 'America/Sao_Paulo',
  BST: 'Europe/London',
  CAT: 'Africa/Harare',
  CDT: 'America/Chicago',
  CEST: 'Europe/Berlin',
  CNT: 'America/St_Johns',
  CST: 'America/Chicago',
  CT: 'America/Chicago',
  CTT: 'Asia/Shanghai',
  EAT: 'Africa/Nairobi',
  ECT: 'Europe/Paris',
  EDT: 'America/New_York',
  EEST: 'Europe/Helsinki',
  ET: 'America/New_York',
  HKT: 'Asia/Hong_Kong',
  IET: 'America/Indiana/Indianapolis',
  IST: 'Asia/Kolkata',
  JST: 'Asia/Tokyo',
  KST: 'Asia/Seoul',
  MDT: 'America/Denver',
  MIT: 'Pacific/Apia',
  MSK: 'Europe/Moscow',
  MT: 'America/Denver',
  NET: 'Asia/Yerevan',
  NST: 'America/St_Johns',
  NZDT: 'Pacific/Auckland',
  NZST: 'Pacific/Auckland',
  PDT: 'America/Los_Angeles',
  PKT: 'Asia/Karachi',
  PLT: 'Asia/Karachi',
  PNT: 'America/Phoenix',
  PRT: 'America/Puerto_Rico',
  PST: 'America/Los_Angeles',
  PT: 'America/Los_Angeles',
  SAST: 'Africa/Johannesburg',
  SGT: 'Asia/Singapore',
  SST: 'Pacific/Guadalcanal',
  VST: 'Asia/Ho_Chi_Minh',
  WEST: 'Europe/Lisbon',
  WIB: 'Asia/Jakarta',
};

/** Whether the IANA data has the name, of those that Intl takes: a zone, a link, or an offset. */
export function isIanaName(name: string): boolean {
  // ICU's own: SystemV/AST4 and the like have left the data.
  if (name.includes('/')) return !/^systemv\//i.test(name);
  return /^[+-]/.test(name) || WITHOUT_AREA.has(name.toUpperCase());
}

/** The zone that somebody who writes an abbreviation most likely means. */
export function likelyZone(name: string): string | undefined {
  const key = name.toUpperCase();
  return Object.hasOwn(LIKELY, key) ? LIKELY[key] : undefined;
}

/** Fixed offsets all year, though clocks nearby change: the zone that has them change. */
export const FIXED_ALL_YEAR: Readonly<Record<string, string>> = {
  EST: 'America/New_York',
  MST: 'America/Denver',
};
