/** Lifetimes in seconds. */
export const codeLifetime = 600;
export const accessTokenLifetime = 7200;
export const refreshTokenLifetime = 30 * 24 * 3600;

/**
 * Lifetime of an access token of a client itself, in seconds; SMART Backend Services recommends at most five minutes.
 * @see https://hl7.org/fhir/smart-app-launch/backend-services.html
 */
export const systemTokenLifetime = 300;

/** How long, in seconds, a replaced refresh token still gives a new pair to a client that lost the response. */
export const retryGracePeriod = 60;
