/** The PostgreSQL role that inserts the rows of a service. Each role can write any name of a service into its rows. */
export function writerRole(service: string): string {
  return service.replaceAll('-', '_');
}
