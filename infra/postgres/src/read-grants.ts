import type { Client } from 'pg';

export interface DatabaseObject {
  /** Views are tables. */
  kind: 'table' | 'sequence' | 'function';
  schema: string;
  /** Of a function, with the types of its arguments. */
  name: string;
}

/** Schemas that PostgreSQL does not bring itself. */
const ownSchemas = `SELECT oid, nspname, nspowner, nspacl FROM pg_namespace
  WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`;

const objects = `
  SELECT c.oid, CASE WHEN relkind = 'S' THEN 'sequence' ELSE 'table' END AS kind, nspname AS schema, relname::text AS name,
    relowner AS owner, coalesce(relacl, acldefault(CASE WHEN relkind = 'S' THEN 's' ELSE 'r' END::"char", relowner)) AS acl
  FROM pg_class c JOIN own_schema n ON n.oid = relnamespace WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
  UNION ALL
  SELECT p.oid, 'function', nspname, proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', proowner,
    coalesce(proacl, acldefault('f', proowner))
  FROM pg_proc p JOIN own_schema n ON n.oid = pronamespace`;

/** Lists of privileges, each with its owner, whose own privileges say nothing, and words for what it is on. */
const lists = `
  SELECT coalesce(datacl, acldefault('d', datdba)) AS acl, datdba AS owner, 'the database' AS what
  FROM pg_database WHERE datname = current_database()
  UNION ALL SELECT coalesce(nspacl, acldefault('n', nspowner)), nspowner, 'schema ' || nspname FROM own_schema
  UNION ALL SELECT acl, owner, kind || ' ' || schema || '.' || name FROM object
  UNION ALL SELECT attacl, relowner, 'column ' || nspname || '.' || relname || '.' || attname
  FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN own_schema n ON n.oid = relnamespace WHERE attacl IS NOT NULL
  UNION ALL SELECT typacl, typowner, 'type ' || nspname || '.' || typname
  FROM pg_type JOIN own_schema n ON n.oid = typnamespace WHERE typacl IS NOT NULL
  UNION ALL SELECT lomacl, lomowner, 'large object ' || oid FROM pg_largeobject_metadata WHERE lomacl IS NOT NULL
  UNION ALL SELECT paracl, 10, 'parameter ' || parname FROM pg_parameter_acl
  UNION ALL SELECT srvacl, srvowner, 'server ' || srvname FROM pg_foreign_server WHERE srvacl IS NOT NULL
  UNION ALL SELECT fdwacl, fdwowner, 'foreign-data wrapper ' || fdwname FROM pg_foreign_data_wrapper WHERE fdwacl IS NOT NULL
  UNION ALL
  SELECT coalesce(defaclacl, acldefault('f', r.oid)), r.oid, 'each function that ' || rolname || ' creates'
  FROM pg_roles r LEFT JOIN pg_default_acl ON defaclrole = r.oid AND defaclnamespace = 0 AND defaclobjtype = 'f'
  WHERE rolname = ANY ($1)
  UNION ALL
  SELECT defaclacl, defaclrole,
    CASE defaclobjtype WHEN 'r' THEN 'each table' WHEN 'S' THEN 'each sequence' WHEN 'f' THEN 'each function' WHEN 'T' THEN 'each type'
      ELSE 'each schema' END || ' that ' || defaclrole::regrole || ' creates' || coalesce(' in ' || nspname, '')
  FROM pg_default_acl LEFT JOIN pg_namespace n ON n.oid = defaclnamespace WHERE defaclnamespace <> 0 OR defaclobjtype <> 'f'`;

/**
 * Roles of this installation, and others that can connect to the database: not the superuser of the cluster or who
 * asks.
 */
const connecting = `SELECT * FROM pg_roles WHERE oid >= 16384 AND rolname <> current_user
  AND (rolname = ANY ($1) OR has_database_privilege(oid, current_database(), 'CONNECT'))`;

const attributes = {
  rolcanlogin: 'login',
  rolsuper: 'superuser',
  rolcreaterole: 'createrole',
  rolcreatedb: 'createdb',
  rolreplication: 'replication',
  rolbypassrls: 'bypassrls',
};

const facts = `
  SELECT concat_ws(' ', 'role ' || rolname || ':', ${Object.entries(attributes)
    .map(([column, word]) => `CASE WHEN ${column} THEN '${word}' END`)
    .join(', ')})
  FROM connecting
  UNION ALL
  SELECT m.rolname || ' is a member of ' || r.rolname FROM pg_auth_members JOIN pg_roles m ON m.oid = member
    JOIN pg_roles r ON r.oid = roleid WHERE m.rolname = ANY ($1) OR (r.rolname = ANY ($1) AND m.rolname <> current_user)
  UNION ALL SELECT nspowner::regrole || ' owns schema ' || nspname FROM own_schema
  UNION ALL SELECT owner::regrole || ' owns ' || kind || ' ' || schema || '.' || name FROM object
  UNION ALL
  SELECT CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END || ' has ' || privilege_type || ' on ' || what
    || CASE WHEN is_grantable THEN ', and may grant it' ELSE '' END
  FROM list, aclexplode(acl) WHERE grantee <> owner
  UNION ALL
  SELECT 'function ' || schema || '.' || name || ' runs with the privileges of its owner' || coalesce(', ' || array_to_string(proconfig, ', '), '')
  FROM object o JOIN pg_proc p ON p.oid = o.oid WHERE kind = 'function' AND prosecdef
  UNION ALL SELECT 'extension ' || extname FROM pg_extension WHERE extname <> 'plpgsql'
  UNION ALL SELECT 'event trigger ' || evtname FROM pg_event_trigger
  UNION ALL SELECT 'publication ' || pubname FROM pg_publication
  UNION ALL
  SELECT 'the privileges of pg_catalog.' || relname || ' were changed' FROM pg_class c
  WHERE relnamespace = 'pg_catalog'::regnamespace AND relacl IS DISTINCT FROM
    (SELECT initprivs FROM pg_init_privs WHERE objoid = c.oid AND classoid = 'pg_class'::regclass AND objsubid = 0)
  UNION ALL
  SELECT 'the privileges of pg_catalog.' || proname || ' were changed' FROM pg_proc p
  WHERE pronamespace = 'pg_catalog'::regnamespace AND proacl IS DISTINCT FROM
    (SELECT initprivs FROM pg_init_privs WHERE objoid = p.oid AND classoid = 'pg_proc'::regclass)`;

/**
 * Reads from the catalogue who owns what and who may do what in the database: attributes and memberships of roles,
 * privileges on the database, schemas, tables, columns, sequences, functions and future objects, and what else could
 * give privileges.
 * @param roles the roles of the services
 * @returns one sentence for each fact, and all objects
 */
export async function readGrants(
  client: Client,
  roles: readonly string[],
): Promise<{ grants: string[]; objects: DatabaseObject[] }> {
  const found = await client.query<DatabaseObject>(
    `WITH own_schema AS (${ownSchemas}), object AS (${objects}) SELECT kind, schema, name FROM object`,
  );
  const { rows } = await client.query<{ grant: string }>(
    `WITH own_schema AS (${ownSchemas}), object AS (${objects}), list AS (${lists}), connecting AS (${connecting})
     SELECT DISTINCT fact AS grant FROM (${facts}) AS facts (fact) ORDER BY 1`,
    [roles],
  );
  return { grants: rows.map(({ grant }) => grant), objects: found.rows };
}
