/** A bigint that fits a JavaScript number; the driver gives it as text. */
export const bigintColumn = {
  type: 'bigint',
  transformer: { from: (text: string | null) => (text === null ? null : Number(text)), to: (value: unknown) => value },
} as const;
