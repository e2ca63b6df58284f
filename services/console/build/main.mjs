// Builds the web application beside the compiled code.
