import { z } from 'zod';

/** What is read of the output of `docker inspect`. */
const inspected = z.array(
  z.object({
    Config: z.object({
      User: z.string(),
      Labels: z.looseObject({ 'com.docker.compose.service': z.string() }),
    }),
    HostConfig: z.object({
      CapAdd: z.array(z.string()).nullish(),
      CapDrop: z.array(z.string()).nullish(),
      Privileged: z.boolean(),
      ReadonlyRootfs: z.boolean(),
      SecurityOpt: z.array(z.string()).nullish(),
    }),
  }),
);

/** Containers that start as root, and the capabilities that they need for it. */
const asRoot: Readonly<Record<string, readonly string[]>> = {
  postgres: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID'],
  secrets: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'],
};

/**
 * Finds containers of the suite that are not confined: each drops all capabilities, cannot gain privileges, has a
 * read-only file system, and runs as a user that is not root, except those that have to start as root.
 * @param output of `docker inspect` for all containers
 * @throws ZodError when it has another form
 */
export function findUnconfined(output: string): string[] {
  return inspected.parse(JSON.parse(output)).flatMap(({ Config, HostConfig }) => {
    const service = Config.Labels['com.docker.compose.service'];
    const allowed = asRoot[service] ?? [];
    const [user] = Config.User.split(':');
    const added = (HostConfig.CapAdd ?? []).map((name) => name.replace(/^CAP_/, ''));
    const weaknesses = [
      HostConfig.Privileged && 'it is privileged',
      !HostConfig.CapDrop?.includes('ALL') && 'it does not drop all capabilities',
      ...added.filter((name) => !allowed.includes(name)).map((name) => `it adds the capability ${name}`),
      !HostConfig.ReadonlyRootfs && 'its file system is not read-only',
      !HostConfig.SecurityOpt?.some((option) => /^no-new-privileges(?:[:=]true)?$/.test(option)) &&
        'it can gain privileges',
      !(service in asRoot) && (!user || user === 'root' || user === '0') && 'it runs as root',
    ];
    return weaknesses.filter((weakness) => weakness !== false).map((weakness) => `${service}: ${weakness}`);
  });
}
