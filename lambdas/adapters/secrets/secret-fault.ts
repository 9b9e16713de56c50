/**
 * Why a secret cannot be used. Says which one it is and nothing of what it holds: neither the message of a parser
 * nor that of the SDK is repeated, since either may quote what it was given.
 */
export class SecretFault extends Error {
  override readonly name = 'SecretFault';
}
