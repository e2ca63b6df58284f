import { clientCommands } from '../src/clients/client-commands';
import type { AuthUnderTest } from './auth-under-test';

/** The operator's commands on clients, as a test runs them. */
export class OperatorCommands {
  /** The clients whose failed attempts were forgotten. */
  readonly forgotten: string[] = [];
  /** On whom the commands have acted. */
  readonly acted: object[] = [];

  /** @param auth the service, once it runs */
  constructor(private readonly auth: () => AuthUnderTest) {}

  reset(): void {
    this.forgotten.splice(0);
    this.acted.splice(0);
  }

  /** Returns what the command prints; rejects with its error message. */
  readonly run = (...words: string[]): Promise<string> => this.runIn(false, words);

  readonly create = (...words: string[]): Promise<string> =>
    this.run('client', 'create', '--name', 'Diary', '--redirect-uri', 'https://diary.example.org/back', ...words);

  readonly runIn = async (sandboxMode: boolean, words: string[]): Promise<string> => {
    const printed: string[] = [];
    const complaints: string[] = [];
    const program = clientCommands({
      recordSubjects: (subjects) => Promise.resolve(void this.acted.push(...subjects)),
      withClients: (work) => work(this.auth().clients),
      forgetFailures: async (clientId) => void this.forgotten.push(clientId),
      print: (text) => printed.push(text),
      sandboxMode,
    });
    for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
      command
        .exitOverride()
        .configureOutput({ writeErr: (text) => complaints.push(text), outputError: (text) => complaints.push(text) });
    }
    try {
      await program.parseAsync(words, { from: 'user' });
    } catch (error) {
      throw new Error(complaints.join('') || String(error));
    }
    return printed.join('\n');
  };
}
