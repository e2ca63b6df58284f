/**
 * The limits of a block. Those who write keep them, and PostgreSQL refuses a row beyond them; those who read take no
 * row beyond them into memory, because a superuser can insert what PostgreSQL would refuse to others.
 */
export const maxEventsPerBlock = 4096;
/** An event has a subject, a user and a client. */
export const maxKeys = 3 * maxEventsPerBlock;
/** Of the sealed content. */
export const maxContentBytes = 16 * 1024 ** 2;
/** Of the events of a block that is written, before they are compressed. */
export const maxEncodedBytes = 256 * 1024;
/** Limits of one event. The event of a Bundle has 20 kB and 101 entities. A page of a search has a thousand events. */
export const maxEventBytes = 64 * 1024;
export const maxEntities = 1000;
/** Of the entities of all events of a block, and the numbers in these: reading one takes far longer than a byte. */
export const maxDetails = 20_000;
/** Of the events of a block that is read: earlier versions wrote larger ones. */
export const maxInflatedBytes = 4 * 1024 ** 2;
