{{/*
The pod of a service, of the gateway or of a job.
name: the component; image; environment: variables; secrets: the Secrets in its folder of secrets, as sources of a projected
volume; settings: of the component; container, pod: further fields; volumes: name and source of further volumes, with their path.
*/}}
{{- define "tributary.pod" -}}
{{- $authorities := dict "postgres" .root.Values.postgres.caConfigMap "redis" .root.Values.redis.caConfigMap }}
metadata:
  labels: {{- merge (include "tributary.labels" . | fromYaml) .settings.podLabels | toYaml | nindent 4 }}
  {{- with .settings.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- toYaml .pod | nindent 2 }}
  automountServiceAccountToken: false
  # A variable such as AUTH_PORT, which Kubernetes would add for a Service, is a setting of its own.
  enableServiceLinks: false
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .settings.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "tributary.image" . }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      env:
        {{- range $name, $value := .environment }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      resources: {{- toYaml .settings.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      {{- with .container }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        - { name: secrets, mountPath: /run/secrets/tributary, readOnly: true }
        {{- range .volumes }}
        - { name: {{ .name }}, mountPath: {{ .path }}, readOnly: {{ default false .readOnly }} }
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 256Mi }
    - name: secrets
      projected:
        # Nothing starts with a secret that everybody may read.
        defaultMode: 0440
        sources:
          {{- toYaml .secrets | nindent 10 }}
          {{- range $server, $map := $authorities }}
          {{- if and $map (get $.service $server) }}
          - configMap: { name: {{ $map }}, items: [{ key: ca.crt, path: {{ $server }}-ca.crt }] }
          {{- end }}
          {{- end }}
    {{- range .volumes }}
    - {{- toYaml (merge (dict "name" .name) .source) | nindent 6 }}
    {{- end }}
{{- end }}
