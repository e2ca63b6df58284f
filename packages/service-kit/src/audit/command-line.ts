import { serviceUserIdText } from '@tributary/contracts';
import { type Command, InvalidArgumentError } from 'commander';

/**
 * Makes the help and the errors of a program those that an operator expects: its name is what the operator types, a
 * missing command is an error, and an unknown option is named before the required ones that it may have been meant for.
 * Errors are thrown, so that they do not end the process.
 */
export function configureCommandLine(program: Command, name: string): void {
  program.name(name).addHelpText('afterAll', ({ error, command }) => (error ? `\n${problemOf(command)}` : ''));
  configure(program);
}

function configure(command: Command): void {
  command.exitOverride();
  // Commander looks for required options before it looks for unknown ones.
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) option.mandatory = false;
  requiredOptions.set(command, required);
  if (command.commands.length > 0) command.showHelpAfterError(`The commands are ${namesOf(command)}.`);
  command.commands.forEach(configure);
}

const requiredOptions = new WeakMap<Command, Command['options']>();

/** Ends a command that lacks required options with an error that names all of them. */
export function checkRequiredOptions(command: Command): void {
  const missing = (requiredOptions.get(command) ?? []).filter(
    (option) => command.getOptionValue(option.attributeName()) === undefined,
  );
  if (missing.length === 0) return;
  const flags = missing.map((option) => `'${option.flags}'`).join(', ');
  command.error(`error: required ${missing.length === 1 ? 'option' : 'options'} ${flags} not specified`);
}

/** Why the help is printed as an error: for `client`, or for `client help creat`. */
function problemOf(command: Command): string {
  const [, unknown] = command.args;
  return unknown === undefined ? `error: name a command: ${namesOf(command)}` : `error: unknown command '${unknown}'`;
}

function namesOf({ commands }: Command): string {
  return commands.map((command) => command.name()).join(', ');
}

/** A parser for an argument of a command. @param read returns undefined for a text that the argument cannot be */
export function argument<Value>(read: (text: string) => Value | undefined, message: string): (text: string) => Value {
  return (text) => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(message);
    return value;
  };
}

export const serviceUserIdArgument = argument(
  (text) => serviceUserIdText.safeParse(text).data,
  'It must be a service_user_id.',
);
