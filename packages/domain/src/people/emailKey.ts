/**
 * Returns the key by which e-mail addresses are compared, which ignores the case of ASCII letters only. Case mapping beyond ASCII would
 * make different addresses equal: KELVIN SIGN (U+212A) becomes `k`.
 */
export const emailKey = (email: string): string => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
