/** What a target may hold, with the reason where the number is not arbitrary. */
export const TARGET_LIMITS = {
  urlLength: 2048,
  /** With its placeholders filled in: what servers take at the least. */
  filledUrlLength: 8_000,
  headers: 20,
  headerValueLength: 1024,
  /** Of all headers of a target together, names included; many servers refuse more than 8 KB of headers. */
  headersLength: 6 * 1024,
  /** Characters of the member of a secret, and of what stands before it in a header. */
  secretFieldLength: 128,
  secretPrefixLength: 64,
  /** Secrets that a call is signed with at once: the new one, the old one, and some. */
  signingSecrets: 4,
} as const;
