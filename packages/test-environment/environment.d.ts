import type { Context } from 'node:vm';

/** The part of the environment that its test uses. */
export default class Environment {
  constructor(config: { projectConfig: object });
  readonly global: typeof globalThis;
  getVmContext(): Context;
  handleTestEvent(event: { name: string; error: Error }): void;
  teardown(): Promise<void>;
}
