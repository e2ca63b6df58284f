/** The part of the environment that its test uses. */
export default class Environment {
  constructor(config: object, context: object);
  readonly global: Record<string, unknown> & Pick<typeof globalThis, 'clearInterval' | 'setInterval'>;
  handleTestEvent(event: { name: string; error: Error }): void;
  teardown(): Promise<void>;
}
