/** What was read, or why nothing could be. */
export type Read<Value, Problem extends string> = { value: Value } | { problem: Problem };
