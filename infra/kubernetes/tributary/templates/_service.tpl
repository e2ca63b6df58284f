{{/* What is particular to the pods of services and of the gateway. */}}

{{- define "tributary.certificateSource" -}}
secret:
  name: {{ . }}
  items: [{ key: ca.crt, path: ca.crt }, { key: tls.crt, path: tls.crt }, { key: tls.key, path: tls.key }]
{{- end }}

{{- define "tributary.publicSource" -}}
secret:
  name: {{ . }}
  items: [{ key: tls.crt, path: public.crt }, { key: tls.key, path: public.key }]
{{- end }}

{{- define "tributary.tokenSource" -}}
projected:
  defaultMode: 0440
  sources: [{ serviceAccountToken: { path: token, expirationSeconds: 3600 } }]
{{- end }}

{{/* A service ends within 40 s after the time in which it still accepts requests. */}}
{{- define "tributary.servicePod" -}}
{{- if eq .kind "gateway" }}
terminationGracePeriodSeconds: {{ add .root.Values.drainSeconds .root.Values.gateway.longestRequestSeconds }}
{{- else }}
terminationGracePeriodSeconds: {{ add .root.Values.drainSeconds 45 }}
{{- end }}
topologySpreadConstraints:
{{- with .settings.topologySpreadConstraints }}
{{- toYaml . | nindent 2 }}
{{- else }}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "tributary.selector" $ | nindent 8 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tributary.serviceContainer" -}}
ports:
  {{- if hasKey .service.from "gateway" }}
  - { name: public, containerPort: 8080 }
  {{- end }}
  - { name: internal, containerPort: 8081 }
  {{- if .root.Values.metrics.enabled }}
  - { name: metrics, containerPort: 9464 }
  {{- end }}
# A start waits for the databases and, after an upgrade, for locks.
startupProbe:
  httpGet: { path: /healthz, port: internal, scheme: HTTPS }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 120
livenessProbe:
  httpGet: { path: /healthz, port: internal, scheme: HTTPS }
  periodSeconds: 10
  timeoutSeconds: 10
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: internal, scheme: HTTPS }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 3
{{- end }}

{{- define "tributary.gatewayContainer" -}}
ports:
  - { name: base, containerPort: 8080 }
  - { name: auth, containerPort: 8082 }
  - { name: search, containerPort: 8083 }
  - { name: analytics, containerPort: 8084 }
startupProbe:
  httpGet: { path: /healthz, port: base, scheme: HTTPS }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 30
livenessProbe:
  httpGet: { path: /healthz, port: base, scheme: HTTPS }
  periodSeconds: 10
  timeoutSeconds: 10
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /healthz, port: base, scheme: HTTPS }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
# HAProxy stops to listen at once when it is told to stop.
lifecycle:
  preStop:
    exec: { command: [sleep, {{ .root.Values.drainSeconds | quote }}] }
{{- end }}
