{{/* The variables of docker-compose.yml, which src/environment.test.ts compares with these. */}}

{{- define "tributary.addresses" -}}
BASE_URL: {{ .Values.urls.base }}
AUTH_URL: {{ .Values.urls.auth }}
SEARCH_URL: {{ .Values.urls.search }}
ANALYTICS_URL: {{ .Values.urls.analytics }}
{{- end }}

{{- define "tributary.certificate" -}}
TLS_CERTIFICATE_FILE: /run/secrets/tributary/tls.crt
TLS_KEY_FILE: /run/secrets/tributary/tls.key
TLS_CA_FILE: /run/secrets/tributary/ca.crt
{{- end }}

{{- define "tributary.databaseAuthority" -}}
DATABASE_CA_FILE: {{ ternary "/run/secrets/tributary/postgres-ca.crt" "" (ne .Values.postgres.caConfigMap "") | quote }}
{{- end }}

{{- define "tributary.database" -}}
SANDBOX_MODE: 'false'
{{ include "tributary.databaseAuthority" . }}
DATABASE_URL_FILE: /run/secrets/tributary/database-url
DATABASE_PASSWORD_FILE: /run/secrets/tributary/database-password
AUDIT_SEALING_KEY_FILE: /run/secrets/tributary/audit-sealing-key
{{- end }}

{{- define "tributary.serviceEnvironment" -}}
{{ include "tributary.addresses" .root }}
{{ include "tributary.certificate" .root }}
DRAIN_DELAY_MS: {{ mul .root.Values.drainSeconds 1000 | quote }}
{{- if .root.Values.metrics.enabled }}
METRICS_PORT: '9464'
{{- end }}
{{- if not .service.secrets }}
SANDBOX_MODE: 'false'
{{- else }}
{{ include "tributary.database" .root }}
AUTH_INTERNAL_URL: https://auth:8081
SEARCH_INTERNAL_URL: https://search:8081
USER_MANAGEMENT_INTERNAL_URL: https://user-management:8081
FHIR_STORE_INTERNAL_URL: https://fhir-store:8081
ANALYTICS_EXPORT_INTERNAL_URL: https://analytics-export:8081
INGESTION_WORKER_INTERNAL_URL: https://ingestion-worker:8081
AUDIT_LOG_INTERNAL_URL: https://audit-log:8081
MCP_SERVER_INTERNAL_URL: https://mcp-server:8081
DOCUMENTATION_INTERNAL_URL: https://documentation:8081
API_URL: https://gateway:8080
AUTH_API_URL: https://gateway:8082
SEARCH_API_URL: https://gateway:8083
ANALYTICS_API_URL: https://gateway:8084
REDIS_CA_FILE: {{ ternary "/run/secrets/tributary/redis-ca.crt" "" (ne .root.Values.redis.caConfigMap "") | quote }}
REDIS_URL_FILE: /run/secrets/tributary/redis-url
REDIS_PASSWORD_FILE: /run/secrets/tributary/redis-password
SERVICE_KEY_FILE: /run/secrets/tributary/service-key
SERVICE_KEYS_FILE: /run/secrets/tributary/service-keys
KEY_ENCRYPTION_KEY_FILE: /run/secrets/tributary/key-encryption-key
PAGE_TOKEN_KEY_FILE: /run/secrets/tributary/page-token-key
FILE_TOKEN_KEY_FILE: /run/secrets/tributary/file-token-key
AUDIT_OPENING_KEY_FILE: /run/secrets/tributary/audit-opening-key
AUDIT_SIGNING_KEY_FILE: /run/secrets/tributary/audit-signing-key
{{- end }}
{{- if eq .name "audit-log" }}
AUDIT_ANCHOR_FILE: {{ ternary "/var/lib/tributary/audit-anchors/anchors.ndjson" "" (ne .root.Values.auditAnchorsClaim "") | quote }}
{{- end }}
{{- if eq .name "console" }}
SMTP_URL_FILE: /run/secrets/tributary/smtp-url
MAIL_FROM: {{ .root.Values.mailFrom | quote }}
{{- end }}
{{- end }}

{{- define "tributary.gatewayEnvironment" -}}
SANDBOX_MODE: 'false'
TLS_CERTIFICATE_FILE: /run/secrets/tributary/public.crt
TLS_INTERNAL_CERTIFICATE_FILE: /run/secrets/tributary/tls.crt
TLS_CA_FILE: /run/secrets/tributary/ca.crt
LOAD_BALANCERS: {{ join " " .root.Values.gateway.loadBalancers | quote }}
{{- /* HAProxy asks the DNS servers itself, without their search domains. */}}
{{- range $name, $service := .suite }}
{{- if hasKey $service.from "gateway" }}
{{ $name | upper | replace "-" "_" }}_ADDRESS: {{ printf "%s-replicas.%s.svc.%s:8080" $name $.root.Release.Namespace $.root.Values.clusterDomain }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tributary.migrationEnvironment" -}}
{{ include "tributary.database" . }}
AUDIT_OPERATOR: helm
{{- end }}

{{- define "tributary.provisionEnvironment" -}}
{{- $provision := .root.Values.provision }}
{{- if and $provision.superuserUrl (not .root.Values.postgres.caConfigMap) (not (contains "sslmode=verify-full" $provision.superuserUrl)) }}
{{- fail "provision.superuserUrl: without postgres.caConfigMap it needs ?sslmode=verify-full" }}
{{- end }}
SANDBOX_MODE: 'false'
SUPERUSER_URL: {{ required "provision.superuserUrl is not set: the PostgreSQL server, with a role that may create roles and databases" $provision.superuserUrl }}
SUPERUSER_PASSWORD_FILE: /run/secrets/tributary/superuser-password
{{ include "tributary.databaseAuthority" .root }}
AUDIT_RETENTION_DAYS: {{ $provision.auditRetentionDays | quote }}
{{- range $name, $service := .suite }}
{{- if $service.postgres }}
{{ $name | upper | replace "-" "_" }}_DATABASE_PASSWORD_FILE: /run/secrets/tributary/{{ $name }}-database-password
{{- end }}
{{- end }}
{{- end }}
