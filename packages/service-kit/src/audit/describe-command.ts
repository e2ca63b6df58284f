import type { Command } from 'commander';

/** Options whose values can be secret or personal. */
const hiddenOption = /secret|password|token|jwks|name|reason/;
/** Values that name a target: ids, hosts, addresses without credentials, file names, dates, numbers. */
const shownValue = /^[\w.:/*,+=~ -]{1,150}$/;
const maxLength = 500;

/**
 * A command that has been parsed, for the audit log: its name, its arguments and its options. Values that can be secret
 * or personal, and those with unusual characters, are left out.
 */
export function describeCommand(command: Command): string {
  const options = command.options.flatMap((option) => {
    const key = option.attributeName();
    if (command.getOptionValueSource(key) !== 'cli') return [];
    const flag = option.long ?? option.short ?? '';
    const value: unknown = command.getOptionValue(key);
    // `--x` and `--no-x` have one value.
    if (option.negate !== (value === false)) return [];
    return [typeof value === 'boolean' || hiddenOption.test(flag) ? flag : `${flag}=${shown(value)}`];
  });
  return [...namesOf(command), ...command.args.map(shown), ...options].join(' ').slice(0, maxLength);
}

/** The name of the program is left out. */
function namesOf(command: Command): string[] {
  return command.parent ? [...namesOf(command.parent), command.name()] : [];
}

function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.join(',') : typeof value === 'object' ? '' : String(value);
  // The path of an address can be secret, as that of a webhook.
  if (text.includes('://')) return URL.canParse(text) && !text.includes(',') ? new URL(text).origin : '…';
  return shownValue.test(text) ? text : '…';
}
