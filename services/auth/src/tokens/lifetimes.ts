/** Lifetimes in seconds (contract, "Token service"). */
export const codeLifetime = 600;
export const accessTokenLifetime = 7200;
export const refreshTokenLifetime = 30 * 24 * 3600;

/** Of a client's own token, in seconds (SMART Backend Services: at most five minutes). */
export const systemTokenLifetime = 300;
