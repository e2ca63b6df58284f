/** Lifetimes in seconds (contract, "Token service"). */
export const codeLifetime = 600;
export const accessTokenLifetime = 7200;
export const refreshTokenLifetime = 30 * 24 * 3600;

/** Of a client's own token, in seconds (SMART Backend Services: at most five minutes). */
export const systemTokenLifetime = 300;

/** For how long, in seconds, a refresh token that was replaced gives another pair to a client whose answer was lost (contract, "Amendments"). */
export const retryGracePeriod = 60;
