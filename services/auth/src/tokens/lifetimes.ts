/** Lifetimes in seconds (contract, "Token service"). */
export const codeLifetime = 600;
export const accessTokenLifetime = 7200;
export const refreshTokenLifetime = 30 * 24 * 3600;
